import sys; sys.path.insert(0,'/tmp/h20b/py')
from PIL import Image
f,a,b=sys.argv[1],int(sys.argv[2]),int(sys.argv[3])
im=Image.open('/tmp/h20b/shots/%s.png'%f); im.crop((0,a,im.size[0],b)).save('/tmp/h20b/shots/crop.png')
